-- Models may not read the host's files.
local f = io.open("/etc/passwd")
