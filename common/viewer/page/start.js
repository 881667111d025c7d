// Begins: in a worker the proof, in a page the viewer.
"use strict";

/** The page's viewer. */
let viewer = null;

/** The bytes that an element of the page holds. */
function bytesOf(element) {
  // Either alphabet of base64.
  const text = element.textContent.trim().replaceAll("-", "+").replaceAll("_", "/");
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function compiledModule() {
  const unpacked = new Blob([bytesOf(document.getElementById("module"))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

async function startPage(source) {
  document.body.dataset.state = "loads";
  // A file that is dropped before the module is there waits for it.
  const wasm = compiledModule();
  viewer = new Viewer(wasm, source);
  await wasm;
  document.body.dataset.state = "waits";
  const recording = document.getElementById("recording");
  if (recording) await viewer.open(bytesOf(recording), recording.dataset.name);
  else if (location.protocol.startsWith("http")) startLive();
}

if (typeof document === "undefined") {
  onmessage = ({ data }) => prove(data).catch((failure) => postMessage({ failure: failure.message }));
} else {
  const source = document.currentScript.textContent;
  addEventListener("DOMContentLoaded", () => startPage(source).catch((failure) => {
    const problem = document.getElementById("problem");
    problem.textContent = failure instanceof TypeError && !globalThis.DecompressionStream
      ? "This browser is too old for the page: it needs one of 2023 or later." : failure.message;
    problem.hidden = false;
    document.body.dataset.state = "failed";
    throw failure;
  }));
}
