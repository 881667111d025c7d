# How sources become a module for browsers: the option, the compiler and its flags. The package has this file too.
#
# TICKBOX_VIEWER: AUTO builds the module where its compiler is, ON needs it, OFF does not build it.

set(TICKBOX_VIEWER AUTO CACHE STRING "Build the page that views recordings in a browser: AUTO, ON or OFF")
set_property(CACHE TICKBOX_VIEWER PROPERTY STRINGS AUTO ON OFF)
if(NOT TICKBOX_VIEWER MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TICKBOX_VIEWER is AUTO, ON or OFF, not ${TICKBOX_VIEWER}")
endif()

# Whether a program of C++23 can be linked: the libraries are packages of their own.
function(tickbox_find_wasm_compiler)
  find_program(TICKBOX_WASM_CLANG clang-19)
  find_program(TICKBOX_WASM_LD wasm-ld-19)
  mark_as_advanced(TICKBOX_WASM_CLANG TICKBOX_WASM_LD)
  if(TICKBOX_WASM_WORKS OR NOT TICKBOX_WASM_CLANG OR NOT TICKBOX_WASM_LD)
    return()
  endif()
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/tickbox_wasm_probe)
  file(WRITE ${probe}.cpp "#include <string>\nint main(int n, char**) { return static_cast<int>(std::string(n, 'x').size()) - n; }\n")
  execute_process(COMMAND ${TICKBOX_WASM_CLANG} --driver-mode=g++ --target=wasm32-wasi -std=c++23 -fno-exceptions
      ${probe}.cpp -o ${probe}.wasm
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(TICKBOX_WASM_WORKS ON CACHE INTERNAL "TICKBOX_WASM_CLANG can link a program")
  endif()
endfunction()

set(tickbox_wasm_cxx --driver-mode=g++ -std=c++23 -fno-exceptions -fno-rtti)
# Linked without -O: with it clang runs binaryen's wasm-opt where that is installed, and machines would differ. (With
# --no-wasm-opt clang 19 does not link at all.)
# The stack is first in memory, so that too deep a call traps instead of writing into data.
set(tickbox_wasm_link --driver-mode=g++ --target=wasm32-wasi -mexec-model=reactor
  -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=1048576)

# Makes the folder OUT: a page on which a game is played. It has the module that is linked from the objects, the licence of
# libsodium, and the files of the folder PAGE, with what they share with the page of the viewer.
#   tickbox_play_page(OUT PAGE VIEWER_PAGE LICENCE OBJECT...)
function(tickbox_play_page out page viewer_page licence)
  file(GLOB parts CONFIGURE_DEPENDS ${page}/*.js ${page}/*.css ${page}/*.html)
  list(APPEND parts ${licence} ${viewer_page}/look.js ${viewer_page}/moment.js ${viewer_page}/picture.js)
  cmake_path(GET out FILENAME name)
  add_custom_command(OUTPUT ${out}/play.wasm DEPENDS ${ARGN} ${parts}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND ${CMAKE_COMMAND} -E copy ${parts} ${out}
    COMMAND ${TICKBOX_WASM_CLANG} ${tickbox_wasm_link} ${ARGN} -o ${out}/play.wasm ${tickbox_wasm_otherwise}
    COMMENT "Making the page ${name}" VERBATIM)
endfunction()

# Compiles a source.   tickbox_wasm_object(OBJECT SOURCE OPTION...)
# The list tickbox_wasm_otherwise, if it is set, follows the command: what runs if that fails, without a semicolon.
function(tickbox_wasm_object object source)
  cmake_path(GET object PARENT_PATH folder)
  cmake_path(GET source FILENAME name)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TICKBOX_WASM_CLANG} --target=wasm32-wasi -O2 -DNDEBUG
      -ffunction-sections -fdata-sections -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= ${ARGN}
      -MD -MF ${object}.d -c ${source} -o ${object} ${tickbox_wasm_otherwise}
    COMMENT "Compiling ${name} for WebAssembly" COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
