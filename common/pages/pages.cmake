# Pages: HTML files that request nothing, joined when they are built, and programs that carry them.

# Joins a page and its parts (join.sh says how).   tickbox_page(OUT PAGE.html [PARTS file...] [NAMED name=file...])
function(tickbox_page out page)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "PARTS;NAMED")
  cmake_path(ABSOLUTE_PATH page BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  cmake_path(GET page PARENT_PATH folder)
  list(TRANSFORM arg_PARTS PREPEND ${folder}/)
  list(TRANSFORM arg_NAMED REPLACE "^[^=]*=" "" OUTPUT_VARIABLE files)
  cmake_path(GET out FILENAME file)
  cmake_path(GET out PARENT_PATH to)
  file(MAKE_DIRECTORY ${to})
  set(join ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/join.sh)
  add_custom_command(OUTPUT ${out} DEPENDS ${join} ${page} ${arg_PARTS} ${files}
    COMMAND bash ${join} ${out} ${page} ${arg_NAMED}
    COMMENT "Joining ${file}" VERBATIM)
endfunction()

# Writes a source that defines `std::string_view tickbox::FUNCTION()`: the bytes of a file; without a file none.
#   tickbox_embedded(SOURCE FUNCTION [FILE])
function(tickbox_embedded source function)
  set(file ${ARGV2})
  set(content "{}")
  set(assembly "")
  if(file)
    set(assembly "
asm(\".section .rodata\\n\"
    \"${function}_begin: .incbin \\\"${file}\\\"\\n\"
    \"${function}_end:\\n\"
    \".previous\\n\");
extern \"C\" const char ${function}_begin[];
extern \"C\" const char ${function}_end[];
")
    set(content "{${function}_begin, static_cast<std::size_t>(${function}_end - ${function}_begin)}")
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${file})
  endif()
  set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <cstddef>
#include <string_view>
@assembly@
namespace tickbox {
std::string_view ${function}();
std::string_view ${function}() { return @content@; }
}  // namespace tickbox
" @ONLY)
endfunction()
