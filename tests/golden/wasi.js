// Runs a program for WebAssembly in Node, in this folder and with these arguments.
//   node --no-warnings wasi.js PROGRAM ARGUMENT...
"use strict";
const { readFileSync } = require("node:fs");
const { WASI } = require("node:wasi");

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, preopens: { ".": "." }, returnOnExit: true });
WebAssembly.compile(readFileSync(args[0]))
  .then((compiled) => WebAssembly.instantiate(compiled, { wasi_snapshot_preview1: wasi.wasiImport }))
  .then((instance) => { process.exitCode = wasi.start(instance); });
