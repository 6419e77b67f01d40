import { CHECK, inCurl, inFetch, TENANTS } from './snippets/machine.ts'
import { spa } from './snippets/spa.ts'
import type { Snippet, SnippetValues } from './snippets/values.ts'
import { web } from './snippets/web.ts'

export type { Snippet } from './snippets/values.ts'

/** Code samples that run with the given values. */
export const snippetsOf = {
  SPA: (values: SnippetValues): Snippet[] => [spa(values)],
  WEB: (values: SnippetValues): Snippet[] => [web(values)],
  MACHINE: (values: SnippetValues): Snippet[] => {
    const example = values.ofTenant === false ? TENANTS : CHECK
    return [inFetch(values, example), inCurl(values, example)]
  },
}
