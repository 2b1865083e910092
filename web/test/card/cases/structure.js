import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

/** In the page: what an element's label and description say. */
const described = (selector) => {
	const { root } = globalThis.kit;
	const node = root.querySelector(selector);
	const texts = (attribute) => (node.getAttribute(attribute) ?? '').split(' ').filter(Boolean)
		.map((id) => root.getElementById(id)?.textContent ?? `missing ${id}`).join(' ');
	return { role: node.getAttribute('role'), name: texts('aria-labelledby'), description: texts('aria-describedby'), tag: node.localName, modal: node.getAttribute('aria-modal') };
};

/** In Chromium: the nodes of the accessibility tree. */
async function tree(page) {
	const client = await page.raw.createCDPSession();
	const { nodes } = await client.send('Accessibility.getFullAXTree');
	await client.detach();
	return nodes.filter((node) => !node.ignored).map((node) => ({
		role: node.role?.value, name: node.name?.value ?? '', description: node.description?.value ?? '',
		modal: node.properties?.find((p) => p.name === 'modal')?.value.value ?? false,
	}));
}

/** @type {Case[]} */
export const structure = [
	{
		name: 'U1 U2 the inline card is one named group and claims no modality',
		async run({ page, engine }) {
			await page.evaluate(() => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); });
			const card = await page.evaluate(described, '.card');
			assert.deepEqual([card.role, card.modal], ['group', null]);
			assert.match(card.name, /delete_post/);
			assert.match(card.description, /waits for your decision/);
			if (engine !== 'chromium') return;
			const group = (await tree(page)).find((node) => node.role === 'group' && node.name.includes('delete_post'));
			assert.ok(group, 'the accessibility tree has the group with its name');
			assert.equal(group.modal, false);
		},
	},
	{
		name: 'U1 the modal is an alertdialog, described by one sentence and not by the arguments',
		async run({ page, engine }) {
			await page.evaluate(() => { globalThis.kit.mount([globalThis.kit.call('send-mail')], { variant: 'modal' }); });
			const dialog = await page.evaluate(described, 'dialog');
			assert.deepEqual([dialog.role, dialog.modal], ['alertdialog', 'true']);
			assert.match(dialog.name, /send_mail/);
			assert.equal(dialog.description, 'This action waits for your decision.');
			if (engine !== 'chromium') return;
			const node = (await tree(page)).find((n) => n.role === 'alertdialog');
			assert.ok(node?.name.includes('send_mail'));
			assert.equal(node.description, dialog.description);
		},
	},
	{
		name: 'U2 nothing outside the modal can be reached: 50 times Tab, 50 times back, a script, the pointer',
		async run({ page }) {
			await page.evaluate(async () => {
				globalThis.kit.mount([globalThis.kit.call('send-mail')], { variant: 'modal', 'allow-remember': '' });
				await globalThis.kit.visible();
			});
			const inside = () => page.evaluate(() => {
				const { kit } = globalThis;
				return kit.root.querySelector('dialog').contains(kit.root.activeElement) ? kit.active() : `outside: ${kit.active()}`;
			});
			const stops = new Set();
			for (let i = 0; i < 50; i++) {
				await page.press('Tab');
				stops.add(await inside());
			}
			await page.keyDown('Shift');
			for (let i = 0; i < 50; i++) {
				await page.press('Tab');
				stops.add(await inside());
			}
			await page.keyUp('Shift');
			assert.deepEqual([...stops].filter((stop) => stop.startsWith('outside')), []);
			assert.ok(['deny', 'confirm', 'allowChat', 'later'].every((stop) => stops.has(stop)), `all controls are reached: ${[...stops]}`);
			const [focused, hit] = await page.evaluate(() => {
				document.getElementById('before').focus();
				const { x, y } = document.getElementById('before').getBoundingClientRect();
				return [document.activeElement.id, document.elementFromPoint(x + 2, y + 2)?.id ?? ''];
			});
			assert.notEqual(focused, 'before');
			assert.notEqual(hit, 'before');
		},
	},
	{
		name: 'U3 heading and buttons name the tool, and names contain the visible labels',
		async run({ page, engine }) {
			await page.evaluate(() => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'allow-remember': '' }); });
			const heading = await page.evaluate(() => globalThis.kit.root.querySelector('h2').textContent);
			assert.match(heading, /delete_post/);
			for (const action of ['deny', 'confirm', 'allowChat', 'copy']) {
				const button = await page.evaluate(described, `[data-action="${action}"]`);
				assert.match(button.description, /delete_post/, action);
			}
			if (engine !== 'chromium') return;
			const nodes = await tree(page);
			for (const label of ['Deny', 'Allow once']) {
				const node = nodes.find((n) => n.role === 'button' && n.name === label);
				assert.match(node?.description ?? '', /delete_post/, label);
			}
		},
	},
	{
		name: 'U4 every control is a native button of type button, without positive tabindex or accesskey',
		async run({ page }) {
			const found = await page.evaluate(() => {
				globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'allow-remember': '', 'allow-stop': '', 'two-step-deny': '' });
				const { root } = globalThis.kit;
				return {
					actions: [...root.querySelectorAll('[data-action]')].every((n) => n.localName === 'button' && n.type === 'button'),
					bad: root.querySelectorAll('[accesskey], [tabindex]:not([tabindex="0"]):not([tabindex="-1"]), [onclick], [role="button"]').length,
					disabled: root.querySelectorAll('[disabled]').length,
				};
			});
			assert.deepEqual(found, { actions: true, bad: 0, disabled: 0 });
		},
	},
];
