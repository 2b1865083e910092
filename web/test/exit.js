// For the browser tests (node --import): the process of a test file ends as soon
// as all is said. Node's own clean-up can wait for ever for the handle of a
// connection that broke (seen in Node 20, which spins in CleanupHandles).
if (process.env.NODE_TEST_CONTEXT) process.on('exit', (code) => /** @type {any} */ (process).reallyExit(code));
