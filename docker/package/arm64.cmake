# For amd64: the cross compiler of Debian for arm64, and the archives that tickbox_ensure_arm64 (server/packages.sh) has got.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)

set(cache_folder "$ENV{XDG_CACHE_HOME}")
if(NOT cache_folder)
  set(cache_folder "$ENV{HOME}/.cache")
endif()
set(TICKBOX_ARM64 ${cache_folder}/tickbox-arm64 CACHE INTERNAL "")
if(NOT EXISTS ${TICKBOX_ARM64}/packages)
  message(FATAL_ERROR "The archives for arm64 are missing; get them with: bash -c '. server/packages.sh && tickbox_ensure_arm64'")
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${TICKBOX_ARM64}/usr/lib/aarch64-linux-gnu/pkgconfig)
# The C library as well: the cross compiler has one of its own, which Debian's security updates do not reach.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -B${TICKBOX_ARM64}/usr/lib/aarch64-linux-gnu")
# Headers, and the packages of CMake that name them, are the same for every processor: those of this machine.
set(CMAKE_PREFIX_PATH ${TICKBOX_ARM64}/usr /usr/lib/x86_64-linux-gnu/cmake)
