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
  let isReturning = false
  const show = async () => {
    index ??= loadIndex(box.dataset.search.split(' '))
    const query = input.value.trim()
    const { entries, isComplete } = await index
    // The next use loads what is missing.
    if (!isComplete) index = undefined
    const found = query === '' ? [] : entries.search(query).slice(0, MAX_RESULTS)
    // The text may have changed while the entries were loaded.
    if (query !== input.value.trim()) return
    results.replaceChildren(...(found.length > 0 ? found.map((entry) => createResult(entry)) : [createNothing(query)]))
    results.hidden = query === ''
    status.textContent = query === '' ? '' : `${found.length} results`
  }
  input.addEventListener('focus', () => !isReturning && show())
  input.addEventListener('input', show)
  addKeys(box, input, results)
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // The focus of a hidden result would be lost. Its return to the field must not open the results again.
    isReturning = true
    input.focus()
    isReturning = false
    results.hidden = true
  })
}

/** The entries of all files that can be loaded. */
async function loadIndex(addresses) {
  const entries = new MiniSearch({
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
  const files = await Promise.all(addresses.map(loadEntries))
  for (const file of files) entries.addAll(file ?? [])
  return { entries, isComplete: !files.includes(undefined) }
}

/** Undefined if the file cannot be loaded. */
async function loadEntries(address) {
  try {
    const response = await fetch(address)
    if (!response.ok) return undefined
    // Addresses of entries are relative to their file, because the exported guide may be in any folder.
    return (await response.json()).map((entry) => ({ ...entry, url: new URL(entry.url, response.url).href }))
  } catch {
    return undefined
  }
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

/** `/` goes to the search, the arrows move through the results. */
function addKeys(box, input, results) {
  const close = () => {
    results.hidden = true
  }
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select')
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
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
  })
}
