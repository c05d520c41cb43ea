# cmake -DINPUT=FILE -DNAME=name -DOUTPUT=FILE.c -P embed.cmake: a file as the C array `name`, its size as `name_size`.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
     "const unsigned char ${NAME}[] = {\n${bytes}0 };\nconst size_t ${NAME}_size = ${size};\n")
