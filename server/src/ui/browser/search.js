import MiniSearch from 'minisearch'
import { createElement } from './dom.js'

const MAX_RESULTS = 12
const EXCERPT_LENGTH = 140

/** Splits names as well, so that `licenseTypeId` is found by `license type`. */
const tokenize = (text) =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Adds a search over the entries of the files that the element names. They are loaded at the first use. */
export function addSearch(box) {
  if (!box) return
  const input = createElement('input', {
    type: 'search',
    placeholder: 'Search',
    autocomplete: 'off',
    'aria-label': 'Search the documentation',
    'aria-controls': 'search-results',
  })
  const results = createElement('div', { id: 'search-results', class: 'results', hidden: true })
  const status = createElement('p', { class: 'visually-hidden', role: 'status' })
  box.append(input, createElement('kbd', { 'aria-hidden': 'true' }, '/'), results, status)
  let index
  const show = async () => {
    index ??= loadIndex(box.dataset.search.split(' '))
    const query = input.value.trim()
    const found = query === '' ? [] : (await index).search(query).slice(0, MAX_RESULTS)
    // The text may have changed while the entries were loaded.
    if (query !== input.value.trim()) return
    results.replaceChildren(...(found.length > 0 ? found.map((entry) => createResult(entry)) : [createNothing(query)]))
    results.hidden = query === ''
    status.textContent = query === '' ? '' : `${found.length} results`
  }
  input.addEventListener('focus', show)
  input.addEventListener('input', show)
  addKeys(box, input, results)
}

async function loadIndex(addresses) {
  const index = new MiniSearch({
    fields: ['title', 'route', 'parent', 'text'],
    storeFields: ['url', 'title', 'parent', 'route', 'text'],
    tokenize,
    searchOptions: {
      boost: { title: 5, route: 3 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  })
  for (const address of addresses) {
    const response = await fetch(address)
    const entries = response.ok ? await response.json() : []
    // Addresses of entries are relative to their file, because the exported guide may be in any folder.
    index.addAll(entries.map((entry) => ({ ...entry, url: new URL(entry.url, response.url).href })))
  }
  return index
}

function createResult({ url, title, parent, route, text, terms }) {
  return createElement(
    'a',
    { href: url },
    createElement('strong', {}, title),
    createElement('span', { class: 'where' }, parent),
    createElement('span', { class: 'excerpt' }, route ?? excerpt(text, terms)),
  )
}

const createNothing = (query) => createElement('p', { class: 'nothing' }, `Nothing is found for “${query}”.`)

/** The part of the text around the first found word. */
function excerpt(text, terms) {
  const position = Math.max(0, text.toLowerCase().indexOf(terms[0] ?? '') - EXCERPT_LENGTH / 3)
  const start = position === 0 ? 0 : text.indexOf(' ', position) + 1
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT_LENGTH)}`
}

/** `/` goes to the search, the arrows move through the results, Escape closes them. */
function addKeys(box, input, results) {
  const close = () => {
    results.hidden = true
  }
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select')
    if (event.key !== '/' || isTyping) return
    event.preventDefault()
    input.focus()
  })
  document.addEventListener('click', (event) => !box.contains(event.target) && close())
  results.addEventListener('click', close)
  box.addEventListener('keydown', (event) => {
    const links = [...results.querySelectorAll('a')]
    const position = links.indexOf(document.activeElement)
    const next = { ArrowDown: links[position + 1], ArrowUp: links[position - 1] ?? input }[event.key]
    if (next) {
      event.preventDefault()
      next.focus()
    }
    if (event.key === 'Enter' && position === -1) links[0]?.click()
    if (event.key === 'Escape') close()
  })
}
