// build-info.js is made by web/internal/build.
/** The package's version, which the WebAssembly file must repeat. */
export const version: string;
/** Hash of each WebAssembly file, in the form of a subresource integrity. */
export const integrity: Record<string, string>;
