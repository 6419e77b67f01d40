import { createElement } from './dom.js'

const SHOWN_MS = 2_000

/** Adds a button to each box with code. */
export function addCopyButtons(root) {
  for (const box of root.querySelectorAll('[data-copy]')) {
    const button = createElement('button', { type: 'button', class: 'copy' }, 'Copy')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(box.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, SHOWN_MS)
    })
    box.querySelector('figcaption').append(button)
  }
}
