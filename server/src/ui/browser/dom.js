/** Creates an element. Properties are set as such, `class` and `aria-…` as attributes; text is never read as HTML. */
export function createElement(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class' || name.includes('-')) element.setAttribute(name, value)
    else element[name] = value
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}
