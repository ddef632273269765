// Making elements. Attributes named on… are listeners, class and text are what they say, and whatever is null is left out.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Replaces what an element holds.
export function put(element, ...children) {
  element.replaceChildren();
  return fill(element, null, children);
}

// Text that only a screen reader says.
export const unseen = (text) => h('span', { class: 'unseen', text });

// A card: a section with a heading.
export const card = (name, heading, ...children) =>
  h('section', { class: `card ${name}`, 'aria-labelledby': `${name}-heading` }, h('h2', { id: `${name}-heading`, text: heading }), children);

// A card that opens and closes.
export function folded(name, heading, onopen, ...children) {
  const details = h('details', { class: `card ${name}` }, h('summary', null, h('h2', { text: heading })), children);
  details.addEventListener('toggle', () => details.open && onopen?.());
  return details;
}
