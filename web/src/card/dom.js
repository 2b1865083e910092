/**
 * Building the page without HTML strings: elements, text nodes, attributes.
 * There is no way through here to a sink that parses (S51) or to an inline
 * style (S52).
 *
 * @module
 */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, className, attributes, ...children) {
	const node = document.createElement(name);
	if (className) node.className = className;
	for (const key in attributes) node.setAttribute(key, attributes[key]);
	node.append(...children);
	return node;
}

/**
 * A native button (U4).
 *
 * @param {string} className
 * @param {Record<string, string>} [attributes]
 */
export function button(className, attributes) {
	return element('button', className, { type: 'button', ...attributes });
}

/**
 * Sets text only when it differs, so that nothing is announced or selected
 * anew without need.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
	if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {Element} node
 * @param {string} name
 * @param {string | null} value `null` removes the attribute
 */
export function setAttribute(node, name, value) {
	if (value === null) node.removeAttribute(name);
	else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/**
 * @param {HTMLElement} node
 * @param {boolean} shown
 */
export function show(node, shown) {
	if (node.hidden === shown) node.hidden = !shown;
}

/**
 * The focused element, looked up through open shadow roots.
 *
 * @returns {Element | null}
 */
export function deepActiveElement() {
	let active = document.activeElement;
	while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
	return active;
}

/**
 * The parent in the tree as it is drawn: slots and shadow roots included.
 *
 * @param {Node} node
 * @returns {Element | null}
 */
export function flatParent(node) {
	if (node instanceof Element && node.assignedSlot) return node.assignedSlot;
	const parent = node.parentNode;
	if (parent instanceof ShadowRoot) return parent.host;
	return parent instanceof Element ? parent : null;
}
