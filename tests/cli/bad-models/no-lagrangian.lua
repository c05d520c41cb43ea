local a = point("a", 2)
start { a = {1, 0} }
