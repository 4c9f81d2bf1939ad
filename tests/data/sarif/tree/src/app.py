import os


def é():
    return eval("é") + eval("1")
