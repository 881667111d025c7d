# The module of the viewer: every source that replays a recording, compiled once more for WebAssembly.

include(wasm_compiler.cmake)
if(TICKBOX_VIEWER STREQUAL OFF)
  return()
endif()

# Debian has no zstd and no libsodium for WebAssembly, so they are compiled from Debian's sources: server/packages.sh puts them there.
set(cache_folder "$ENV{XDG_CACHE_HOME}")
if(NOT cache_folder)
  set(cache_folder "$ENV{HOME}/.cache")
endif()
set(TICKBOX_ZSTD_SOURCE ${cache_folder}/tickbox-zstd CACHE PATH "The folder of zstd's sources that has lib/zstd.h")
set(TICKBOX_SODIUM_SOURCE ${cache_folder}/tickbox-sodium/libsodium CACHE PATH "The folder src/libsodium of libsodium's sources")
find_path(TICKBOX_XXHASH xxhash.h)
mark_as_advanced(TICKBOX_ZSTD_SOURCE TICKBOX_SODIUM_SOURCE TICKBOX_XXHASH)

tickbox_find_wasm_compiler()
if(NOT (TICKBOX_WASM_WORKS AND TICKBOX_XXHASH AND EXISTS ${TICKBOX_ZSTD_SOURCE}/lib/zstd.h
    AND EXISTS ${TICKBOX_SODIUM_SOURCE}/include/sodium.h))
  set(how "the compiler or the sources of zstd or libsodium are missing; get them with: bash -c '. server/packages.sh && tickbox_ensure_viewer'")
  if(TICKBOX_VIEWER STREQUAL ON)
    message(FATAL_ERROR "TICKBOX_VIEWER=ON: ${how}")
  endif()
  message(STATUS "No module for browsers: ${how}")
  return()
endif()

# Not -I/usr/include: the headers of this machine's libc would hide those of wasi-libc.
file(COPY ${TICKBOX_XXHASH}/xxhash.h DESTINATION ${CMAKE_CURRENT_BINARY_DIR}/wasm_include)

set(wasm_objects)

# Compiles a source of this repository and adds its object to wasm_objects.   wasm_source(SOURCE NAME OPTION...)
macro(wasm_source source name)
  tickbox_wasm_object(${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o ${source}
    -I${PROJECT_SOURCE_DIR}/common -I${PROJECT_SOURCE_DIR}/common/include
    -I${PROJECT_BINARY_DIR}/common/viewer/wasm_include -I${TICKBOX_ZSTD_SOURCE}/lib ${ARGN})
  list(APPEND wasm_objects ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
endmacro()

# Does so for libraries, each once for all modules. The sources of each folder are one, which includes them: they share
# most of what they include.   wasm_libraries(LIBRARY... [WITHOUT source] [OPTIONS option...])
macro(wasm_libraries)
  cmake_parse_arguments(wasm "" "WITHOUT" "OPTIONS" ${ARGN})
  foreach(library ${wasm_UNPARSED_ARGUMENTS})
    get_target_property(sources tickbox_${library} SOURCES)
    get_target_property(base tickbox_${library} SOURCE_DIR)
    list(FILTER sources EXCLUDE REGEX "^/")
    list(REMOVE_ITEM sources "${wasm_WITHOUT}")
    list(TRANSFORM sources PREPEND ${base}/)
    set(folders ${sources})
    list(TRANSFORM folders REPLACE "/[^/]*$" "")
    list(REMOVE_DUPLICATES folders)
    foreach(folder ${folders})
      set(of_folder ${sources})
      list(FILTER of_folder INCLUDE REGEX "^${folder}/[^/]*$")
      list(TRANSFORM of_folder REPLACE .+ "#include \"\\0\"\n")
      list(JOIN of_folder "" includes)
      file(RELATIVE_PATH name ${base} ${folder})
      string(REPLACE / - name ${library}-${name})
      string(REGEX REPLACE "-$" "" name ${name})
      get_property(object GLOBAL PROPERTY tickbox_wasm_${name})
      if(NOT object)
        file(CONFIGURE OUTPUT wasm/${name}.cpp CONTENT "${includes}")
        wasm_source(${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.cpp ${name}.cpp ${tickbox_wasm_cxx} ${wasm_OPTIONS})
        set_property(GLOBAL PROPERTY tickbox_wasm_${name} ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.cpp.o)
      else()
        list(APPEND wasm_objects ${object})
      endif()
    endforeach()
  endforeach()
endmacro()

wasm_libraries(core sim engine views)
set_property(GLOBAL PROPERTY tickbox_wasm_build_info ${CMAKE_CURRENT_BINARY_DIR}/wasm/cli/build_info.cpp.o)
wasm_libraries(record viewer)
wasm_source(${CMAKE_CURRENT_SOURCE_DIR}/exports.cpp viewer/exports.cpp ${tickbox_wasm_cxx})
wasm_source(${PROJECT_BINARY_DIR}/common/cli/build_info.cpp cli/build_info.cpp ${tickbox_wasm_cxx})

# What zstd's own single-file decoder has, with the smaller of two ways where it offers both.
foreach(name common/entropy_common common/error_private common/fse_decompress common/xxhash common/zstd_common
    decompress/huf_decompress decompress/zstd_ddict decompress/zstd_decompress decompress/zstd_decompress_block)
  wasm_source(${TICKBOX_ZSTD_SOURCE}/lib/${name}.c zstd/${name}.c -w -DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM
    -DZSTD_STRIP_ERROR_STRINGS -DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT -DZSTD_NO_INLINE)
endforeach()
set(of_every_module ${wasm_objects})

wasm_libraries(games)
wasm_source(${CMAKE_CURRENT_SOURCE_DIR}/tickbox_games.cpp viewer/tickbox_games.cpp ${tickbox_wasm_cxx})
set(TICKBOX_VIEWER_MODULE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/viewer.wasm)
add_custom_command(OUTPUT ${TICKBOX_VIEWER_MODULE} DEPENDS ${wasm_objects}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
  COMMAND ${TICKBOX_WASM_CLANG} ${tickbox_wasm_link} ${wasm_objects} -o ${TICKBOX_VIEWER_MODULE}
  COMMENT "Linking viewer.wasm" VERBATIM)
add_custom_target(tickbox_viewer_module ALL DEPENDS ${TICKBOX_VIEWER_MODULE})
add_dependencies(tickbox_viewer_module tickbox_build_info)

# The page: it shows a recording, or a room that is played.
set(page_files zstd-licence=${TICKBOX_ZSTD_SOURCE}/LICENSE chart=${TICKBOX_CHARTS})
set(TICKBOX_VIEWER_PAGE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/viewer.html)
file(GLOB parts RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/page CONFIGURE_DEPENDS page/*)
tickbox_page(${TICKBOX_VIEWER_PAGE} page/viewer.html PARTS ${parts}
  NAMED viewer.wasm=${TICKBOX_VIEWER_MODULE} ${page_files})
add_custom_target(tickbox_viewer_html ALL DEPENDS ${TICKBOX_VIEWER_PAGE})
add_dependencies(tickbox_viewer_html tickbox_viewer_module)

# For the page of a studio's game: one object of everything but the game. The package has it and page_files.
set(wasm_objects ${of_every_module})
wasm_source(${CMAKE_CURRENT_SOURCE_DIR}/studio_game.cpp viewer/studio_game.cpp ${tickbox_wasm_cxx})
set(object ${CMAKE_CURRENT_BINARY_DIR}/tickbox_viewer.o)
add_custom_command(OUTPUT ${object} DEPENDS ${wasm_objects}
  COMMAND ${TICKBOX_WASM_LD} -r ${wasm_objects} -o ${object}
  COMMENT "Linking tickbox_viewer.o" VERBATIM)
add_custom_target(tickbox_viewer_object ALL DEPENDS ${object})
add_dependencies(tickbox_viewer_object tickbox_build_info)
set_property(TARGET tickbox_viewer_object PROPERTY TICKBOX_FILES tickbox_viewer.o=${object} ${page_files})
