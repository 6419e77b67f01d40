import { CHECK, inCurl, inFetch, TENANTS } from './snippets/machine.ts'
import { spa } from './snippets/spa.ts'
import type { Snippet, SnippetValues } from './snippets/values.ts'
import { web } from './snippets/web.ts'

export type { Snippet } from './snippets/values.ts'

/** Code that signs in with the values at hand, to be copied and run as it is. */
export const snippetsOf = {
  SPA: (values: SnippetValues): Snippet[] => [spa(values)],
  WEB: (values: SnippetValues): Snippet[] => [web(values)],
  MACHINE: (values: SnippetValues): Snippet[] => {
    const errand = values.ofTenant === false ? TENANTS : CHECK
    return [inFetch(values, errand), inCurl(values, errand)]
  },
}
