/* The page is joined from these files. */
function startLive() {}
