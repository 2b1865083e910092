// wasm_exec.js is made by web/internal/build from the toolchain's own file.

/** The part of the toolchain's Go class that core.js uses. */
export interface GoProgram {
	argv: string[];
	env: Record<string, string>;
	exit: (code: number) => void;
	exited: boolean;
	importObject: WebAssembly.Imports;
	run(instance: WebAssembly.Instance): Promise<void>;
	_scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
}

/** Gives the Go class with a global object of its own. */
export function loadGo(own: Record<PropertyKey, any>): new () => GoProgram;
