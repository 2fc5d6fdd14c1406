#include "textflag.h"

// func running() uintptr
TEXT ·running(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
