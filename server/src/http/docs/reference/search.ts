import type { Operation, Reference, Schema } from './operations.ts'

/** What the script of the page searches. */
export interface SearchEntry {
  id: string
  /** Where the entry is. */
  url: string
  title: string
  /** The page or the resource that contains it. */
  parent: string
  text: string
  /** The method and the path of an operation. */
  route?: string
}

export const SEARCH_PATH = '/docs/search.json'
export const GUIDE_SEARCH_PATH = '/guide/search.json'

export const listSearchEntries = ({ resources, schemas }: Reference): SearchEntry[] =>
  resources.flatMap(({ name, path, operations }) =>
    operations.map((operation) => ({
      id: `reference ${operation.id}`,
      url: `${path}#${operation.id}`,
      title: operation.summary,
      parent: name,
      route: `${operation.method} ${operation.path}`,
      text: [operation.id, operation.description, ...listWords(operation, schemas)].join(' '),
    })),
  )

/** The names of everything that the operation takes and answers. */
function listWords({ parameters, body, replies, errors }: Operation, schemas: Record<string, Schema>): string[] {
  const names = new Set<string>(parameters.map(({ name }) => name))
  const visit = (schema: Schema) => {
    const title = schema.$ref?.replace('#/components/schemas/', '')
    if (title !== undefined) {
      if (names.has(title)) return
      names.add(title)
      visit(schemas[title] ?? {})
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      names.add(name)
      visit(property)
    }
    for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part) visit(part)
  }
  for (const { schema } of [...(body ? [body] : []), ...replies]) visit(schema)
  return [...names, ...errors.map(({ code }) => code)]
}
