// A page in TypeScript: compiled against the package's own types, never run.
import { load, SvedaChatSession, SvedaError, isChannelAwaitingConsentError } from 'svedawasm';
import { SvedaClient, messageText } from 'svedawasm/auto';
import { scriptedServer, text, toolCall } from 'svedawasm/testing';
import 'svedawasm/card';

export async function use(): Promise<string> {
	const api = await load({ wasmURL: '/sveda.wasm', timeout: 5000 });
	const tools = new api.SvedaToolRegistry();
	const off: () => void = tools.register({
		name: 'archive_selection', confirmation: 'required', parameters: { type: 'object' },
		handler: (input, { chatId, toolCallId, signal }) => ({ input, chatId, toolCallId, aborted: signal.aborted }),
	});
	off();
	const server = scriptedServer().reply(text('a'), toolCall('c1', 'rm', {}, 'required'));
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, headers: () => ({ 'x-a': '1' }), tools });
	using session: SvedaChatSession = client.createSession('c');
	session.on('status', (status: 'idle' | 'submitted' | 'streaming' | 'error') => status);
	session.on('title', (title: string) => title);
	session.on('error', (error: SvedaError) => error.code);
	// @ts-expect-error an event that does not exist
	session.on('nothing', () => {});
	try {
		await session.send('hello', { model: 'm', files: [{ name: 'a.txt' }] });
	} catch (error) {
		if (isChannelAwaitingConsentError(error)) return error.processId;
	}
	for (const { toolCallId, state, arguments: { raw, digest, rows } } of session.confirmations) {
		if (state !== 'pending' || rows.length === 0) continue;
		const { outcome } = await session.resolveToolConfirmation(toolCallId, 'deny', { reason: raw, digest });
		const word: 'sent' | 'staged' | 'already-decided' | 'not-pending' = outcome;
		// @ts-expect-error a word that is no decision
		await session.resolveToolConfirmation(toolCallId, 'maybe');
		return word;
	}
	const { messages, confirmationPending } = session.getSnapshot();
	const pending: boolean = confirmationPending;
	return pending ? '' : messages.map(messageText).join('\n');
}
