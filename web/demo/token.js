// A token of the playground's demo mode. A real page gets it from its own server.

/** @type {Promise<string> | undefined} */
let token;

/** Headers for each request: the token goes in a header and nowhere else. */
export async function tokenHeaders() {
	token ??= fetchToken();
	try {
		return { 'x-sveda-embed-token': await token };
	} catch (error) {
		token = undefined; // asked for again by the next request
		throw error;
	}
}

async function fetchToken() {
	const response = await fetch('/demo/token');
	if (!response.ok) throw new Error(`no token: the playground answered ${response.status}`);
	return (await response.json()).token;
}
