-- Asks for more memory than a model may have.
local text = string.rep("x", 2^30)
title(text)
