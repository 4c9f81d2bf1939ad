#!/bin/sh
	for f in $(ls *); do echo $f; done
cd $1
