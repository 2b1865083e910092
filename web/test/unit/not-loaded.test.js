import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as sveda from '../../dist/index.js';

test('R7 before load() every class says what to do', () => {
	for (const make of [
		() => new sveda.SvedaClient(),
		() => new sveda.SvedaChatSession('c'),
		() => new sveda.SvedaToolRegistry(),
		() => new sveda.SvedaContextRegistry(),
	]) {
		assert.throws(make, (/** @type {any} */ error) => error.code === 'not-loaded' && /await load\(\)/.test(error.message));
	}
});

test('helpers need no core', () => {
	assert.equal(sveda.messageText({ parts: [{ type: 'text', text: 'a' }, { type: 'reasoning', text: 'x' }, { type: 'text', text: 'b' }] }), 'ab');
	assert.equal(sveda.messageText({}), '');
	assert.match(sveda.createMessageId(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('B157 a thousand ids of one tick differ', () => {
	assert.equal(new Set(Array.from({ length: 1000 }, () => sveda.createMessageId())).size, 1000);
});

test('isChannelAwaitingConsentError knows errors of another copy of the package', async () => {
	const other = await import('../../dist/errors.js?copy');
	const error = new other.ChannelAwaitingConsentError('waits');
	assert.ok(!(error instanceof sveda.ChannelAwaitingConsentError));
	assert.ok(sveda.isChannelAwaitingConsentError(error));
	for (const value of [null, undefined, 'x', {}, new Error('awaiting-consent'), new sveda.ChannelBusyError('b')]) {
		assert.ok(!sveda.isChannelAwaitingConsentError(value));
	}
});
