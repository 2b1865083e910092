// A bare Debian machine is asked for every browser that the tests use.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('without browsers each of them is installed', (t) => {
	const bin = mkdtempSync(join(tmpdir(), 'bare-'));
	t.after(() => rmSync(bin, { recursive: true }));
	for (const [name, body] of [['id', 'echo 0'], ['apt-get', 'echo "$*"']]) {
		writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
	}
	const script = fileURLToPath(new URL('../../../.ci/browsers', import.meta.url));
	const { stdout, stderr, status } = spawnSync('/bin/sh', [script], { env: { PATH: bin }, encoding: 'utf8' });
	for (const name of ['chromium', 'firefox-esr', 'webkit2gtk-driver', 'xvfb']) {
		assert.match(stdout, new RegExp(`^install .* ${name}$`, 'm'));
	}
	assert.equal(status, 1, 'and it fails when Chromium is not there afterwards');
	assert.match(stderr, /browser tests need Chromium/);
});
