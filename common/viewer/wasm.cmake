# The module of the viewer: every source that replays a recording, compiled once more for WebAssembly.
#
# TICKBOX_VIEWER: AUTO builds it where its compiler is, ON needs it, OFF does not build it.

set(TICKBOX_VIEWER AUTO CACHE STRING "Build the module that views recordings in a browser: AUTO, ON or OFF")
set_property(CACHE TICKBOX_VIEWER PROPERTY STRINGS AUTO ON OFF)
if(NOT TICKBOX_VIEWER MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TICKBOX_VIEWER is AUTO, ON or OFF, not ${TICKBOX_VIEWER}")
endif()
if(TICKBOX_VIEWER STREQUAL OFF)
  return()
endif()

# Debian has no zstd for WebAssembly, so it is compiled from Debian's sources: server/packages.sh puts them there.
set(cache_folder "$ENV{XDG_CACHE_HOME}")
if(NOT cache_folder)
  set(cache_folder "$ENV{HOME}/.cache")
endif()
set(TICKBOX_ZSTD_SOURCE ${cache_folder}/tickbox-zstd CACHE PATH "The folder of zstd's sources that has lib/zstd.h")
mark_as_advanced(TICKBOX_ZSTD_SOURCE)
find_program(TICKBOX_WASM_CLANG clang-19)
find_program(TICKBOX_WASM_LD wasm-ld-19)
find_path(TICKBOX_XXHASH xxhash.h)
mark_as_advanced(TICKBOX_WASM_CLANG TICKBOX_WASM_LD TICKBOX_XXHASH)

# Whether a program of C++23 can be linked: the libraries are packages of their own.
set(wasm_works OFF)
if(TICKBOX_WASM_CLANG AND TICKBOX_WASM_LD AND TICKBOX_XXHASH AND EXISTS ${TICKBOX_ZSTD_SOURCE}/lib/zstd.h)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe)
  file(WRITE ${probe}.cpp "#include <string>\nint main(int n, char**) { return static_cast<int>(std::string(n, 'x').size()) - n; }\n")
  execute_process(COMMAND ${TICKBOX_WASM_CLANG} --driver-mode=g++ --target=wasm32-wasi -std=c++23 -fno-exceptions
      ${probe}.cpp -o ${probe}.wasm
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(wasm_works ON)
  endif()
endif()
if(NOT wasm_works)
  set(how "its compiler and zstd's sources are missing; get them with: bash -c '. server/packages.sh && tickbox_ensure_viewer'")
  if(TICKBOX_VIEWER STREQUAL ON)
    message(FATAL_ERROR "TICKBOX_VIEWER=ON: ${how}")
  endif()
  message(STATUS "No module for browsers: ${how}")
  return()
endif()

# Not -I/usr/include: the headers of this machine's libc would hide those of wasi-libc.
file(COPY ${TICKBOX_XXHASH}/xxhash.h DESTINATION ${CMAKE_CURRENT_BINARY_DIR}/wasm_include)

set(wasm_compile --target=wasm32-wasi -O2 -DNDEBUG -ffunction-sections -fdata-sections -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -I${PROJECT_SOURCE_DIR}/common -I${PROJECT_SOURCE_DIR}/common/include
  -I${CMAKE_CURRENT_BINARY_DIR}/wasm_include -I${TICKBOX_ZSTD_SOURCE}/lib)
set(wasm_objects)

# Compiles a source and adds its object to wasm_objects.   tickbox_wasm_object(SOURCE NAME OPTION...)
function(tickbox_wasm_object source name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
  cmake_path(GET object PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TICKBOX_WASM_CLANG} ${wasm_compile} ${ARGN} -MD -MF ${object}.d -c ${source} -o ${object}
    COMMENT "Compiling ${name} for WebAssembly" VERBATIM)
  set(wasm_objects ${wasm_objects} ${object} PARENT_SCOPE)
endfunction()

set(wasm_cxx --driver-mode=g++ -std=c++23 -fno-exceptions -fno-rtti)
foreach(library core sim engine view_rows games record viewer)
  get_target_property(sources tickbox_${library} SOURCES)
  get_target_property(folder tickbox_${library} SOURCE_DIR)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/common OUTPUT_VARIABLE name)
    tickbox_wasm_object(${source} ${name} ${wasm_cxx})
  endforeach()
endforeach()
tickbox_wasm_object(${CMAKE_CURRENT_SOURCE_DIR}/exports.cpp viewer/exports.cpp ${wasm_cxx})
tickbox_wasm_object(${PROJECT_BINARY_DIR}/common/cli/build_info.cpp cli/build_info.cpp ${wasm_cxx})

# What zstd's own single-file decoder has, with the smaller of two ways where it offers both.
foreach(name common/entropy_common common/error_private common/fse_decompress common/xxhash common/zstd_common
    decompress/huf_decompress decompress/zstd_ddict decompress/zstd_decompress decompress/zstd_decompress_block)
  tickbox_wasm_object(${TICKBOX_ZSTD_SOURCE}/lib/${name}.c zstd/${name}.c -w -DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM
    -DZSTD_STRIP_ERROR_STRINGS -DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT -DZSTD_NO_INLINE)
endforeach()

# Linked without -O: with it clang runs binaryen's wasm-opt where that is installed, and machines would differ. (With
# --no-wasm-opt clang 19 does not link at all.)
# The stack is first in memory, so that too deep a call traps instead of writing into data.
set(TICKBOX_VIEWER_MODULE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/viewer.wasm)
add_custom_command(OUTPUT ${TICKBOX_VIEWER_MODULE} DEPENDS ${wasm_objects}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
  COMMAND ${TICKBOX_WASM_CLANG} --driver-mode=g++ --target=wasm32-wasi -mexec-model=reactor
    -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=1048576 ${wasm_objects} -o ${TICKBOX_VIEWER_MODULE}
  COMMENT "Linking viewer.wasm" VERBATIM)
add_custom_target(tickbox_viewer_module ALL DEPENDS ${TICKBOX_VIEWER_MODULE})
add_dependencies(tickbox_viewer_module tickbox_build_info)

# The page: it shows a recording, or a room that is played.
set(TICKBOX_VIEWER_PAGE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/viewer.html)
tickbox_page(${TICKBOX_VIEWER_PAGE} page/viewer.html
  PARTS viewer.css live.css engine.js look.js match.js proof.js picture.js timeline.js panels.js desync.js viewer.js live.js start.js
  NAMED viewer.wasm=${TICKBOX_VIEWER_MODULE} zstd-licence=${TICKBOX_ZSTD_SOURCE}/LICENSE chart=${TICKBOX_CHARTS})
add_custom_target(tickbox_viewer_html ALL DEPENDS ${TICKBOX_VIEWER_PAGE})
add_dependencies(tickbox_viewer_html tickbox_viewer_module)
