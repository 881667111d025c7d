# The client of a game as a library for engines, with the C interface of tickbox/client.h.
#   tickbox_add_client_library(NAME FOLDER)
#
#   NAME_client, NAME_client_static   libNAME_client.so and .a, of the object library NAME_game
#   NAME_client.pc                    names them for pkg-config
#
# `cmake --install` lays them down with the header. FOLDER has the files beside this one.
function(tickbox_add_client_library name folder)
  add_library(${name}_client SHARED ${folder}/client_library.cpp)
  target_link_libraries(${name}_client PRIVATE ${name}_game)
  target_link_options(${name}_client PRIVATE -Wl,--version-script=${folder}/client_library.map -Wl,--gc-sections)
  set_target_properties(${name}_client PROPERTIES LINK_DEPENDS ${folder}/client_library.map UNITY_BUILD OFF)

  # libtickbox.a, which follows it, takes the game out of it.
  set(taken_first -Wl,-u,_ZN7tickbox26game_named_by_TICKBOX_GAMEEv)
  add_library(${name}_client_static STATIC $<TARGET_OBJECTS:${name}_game>)
  target_link_libraries(${name}_client_static INTERFACE $<TARGET_PROPERTY:${name}_game,INTERFACE_LINK_LIBRARIES>)
  target_link_options(${name}_client_static INTERFACE ${taken_first})
  set_target_properties(${name}_client_static PROPERTIES OUTPUT_NAME ${name}_client LINKER_LANGUAGE CXX)

  # An engine needs tickbox/client.h of that folder, and no C++23.
  target_include_directories(${name}_client
    INTERFACE $<TARGET_PROPERTY:Tickbox::headers,INTERFACE_INCLUDE_DIRECTORIES>)

  include(GNUInstallDirs)
  file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${folder}/client_library.pc.in ${name}_client.pc @ONLY)
  install(TARGETS ${name}_client ${name}_client_static
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_client.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(FILES $<TARGET_PROPERTY:Tickbox::headers,INTERFACE_INCLUDE_DIRECTORIES>/tickbox/client.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tickbox)
endfunction()
