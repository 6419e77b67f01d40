import type { BrowserContextOptions, Page } from 'playwright-core'

export const NARROW = 360

/** A browser in which somebody has chosen a language. */
export const inLanguage = (language: string, host: string): BrowserContextOptions => ({
  locale: language === 'en-XA' ? 'en' : language,
  storageState: {
    cookies: [
      {
        name: 'latchkey_language',
        value: language,
        domain: host,
        path: '/',
        expires: -1,
        httpOnly: false,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [],
  },
})

/**
 * The texts outside of the brackets of the pseudo language, which nobody can translate. `data` describes names, addresses
 * and times; what is code stays in every language.
 */
export async function listUntranslated(page: Page, data: (RegExp | string)[]): Promise<string[]> {
  const texts = await page.evaluate(findTextsOutsideOfBrackets)
  return texts
    .map((text) => data.reduce<string>((rest, pattern) => rest.replaceAll(pattern, ''), text).trim())
    .filter((text) => /\p{L}/u.test(text))
}

function findTextsOutsideOfBrackets(): string[] {
  const found = new Set<string>()
  // The last ones: recovery codes, the code of a device, and the initials of a name.
  const code = 'code, pre, kbd, script, style, noscript, template, iframe, svg'
  const untranslatable = `${code}, .codes, .user-code > strong, .mantine-Avatar-root`
  const isHidden = (element: Element) => element.closest(untranslatable) !== null || !element.checkVisibility()
  let depth = 0
  /** A text with elements is several nodes, so the brackets are counted across nodes. */
  const outsideOf = (text: string): string => {
    let outside = ''
    for (const character of text) {
      if (character === ']') depth -= 1
      else if (character === '[') depth += 1
      else if (depth === 0) outside += character
    }
    return outside.trim()
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!parent || isHidden(parent)) continue
    found.add(outsideOf(node.textContent ?? ''))
  }
  if (depth !== 0) found.add(`${depth} brackets are open`)
  for (const element of document.querySelectorAll('*')) {
    if (isHidden(element) && !element.matches('svg[aria-label]')) continue
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
      depth = 0
      found.add(outsideOf(element.getAttribute(name) ?? ''))
    }
    depth = 0
    // What is chosen in a list.
    if (element instanceof HTMLInputElement && element.readOnly && element.type !== 'hidden')
      found.add(outsideOf(element.value))
  }
  depth = 0
  found.add(outsideOf(document.title))
  return [...found].filter((text) => text !== '')
}

/** What is wrong with the layout at the current width: the page scrolls sideways, or a text is cut off. */
export const listLayoutProblems = (page: Page): Promise<string[]> => page.evaluate(findLayoutProblems)

function findLayoutProblems(): string[] {
  const root = document.documentElement
  const problems = root.scrollWidth > root.clientWidth ? [`the page is ${root.scrollWidth} pixels wide`] : []
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '')
  const scrolls = (element: Element): boolean => {
    for (let container: Element | null = element; container && container !== root; container = container.parentElement)
      if (/auto|scroll/.test(getComputedStyle(container).overflowX)) return true
    return false
  }
  for (const element of document.body.querySelectorAll('*')) {
    // Names and addresses may end in an ellipsis. A single pixel is only for screen readers.
    if (element.closest('svg, code, [data-truncate]') || element.clientWidth <= 1 || !hasText(element)) continue
    if (element.scrollWidth <= element.clientWidth + 1 || scrolls(element) || !element.checkVisibility()) continue
    if (getComputedStyle(element).display.startsWith('inline') && getComputedStyle(element).display === 'inline')
      continue
    problems.push(`cut off: ${element.textContent}`)
  }
  return problems
}
