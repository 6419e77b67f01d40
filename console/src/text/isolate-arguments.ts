import type { IntlMessageFormat } from 'intl-messageformat'

type Elements = ReturnType<IntlMessageFormat['getAst']>

/** The types of elements, as the parser numbers them. */
const [TEXT, ARGUMENT, TAG] = [0, 1, 8] as const

/** "First strong isolate" and "pop directional isolate" (UAX #9 §2.4): what is between them has its own direction. */
const [START, END] = ['\u2068', '\u2069']

/** Around each argument of a text, so that a name in Latin letters does not change the order of an Arabic sentence. */
export const isolateArguments = (elements: Elements): Elements =>
  elements.flatMap((element): Elements => {
    if (element.type === ARGUMENT) return isolateElement(element)
    // Around the element: people copy a code out of it.
    if (element.type === TAG && element.children.length === 1 && element.children[0]?.type === ARGUMENT)
      return isolateElement(element)
    if ('children' in element) return [{ ...element, children: isolateArguments(element.children) }]
    if (!('options' in element)) return [element]
    const options = Object.entries(element.options).map(([name, { value }]) => [
      name,
      { value: isolateArguments(value) },
    ])
    return [{ ...element, options: Object.fromEntries(options) }]
  })

const isolateElement = (element: Elements[number]): Elements => [
  { type: TEXT, value: START },
  element,
  { type: TEXT, value: END },
]
