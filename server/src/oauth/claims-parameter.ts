/**
 * The ids of the users that the `claims` parameter asks for; undefined if it names none. The response must not be about
 * anybody else (OpenID Connect Core §3.1.2.2, §5.5.1). Other requested claims are ignored, because the scopes decide
 * about them, and so is a parameter that is not JSON.
 */
export function readRequestedSubjects(text: string | undefined): string[] | undefined {
  const claims = text === undefined ? undefined : toObject(parse(text))
  const lists = [claims?.id_token, claims?.userinfo].map((member) => toSubjects(toObject(toObject(member)?.sub)))
  return lists.reduce(intersect, undefined)
}

/** The ids that are in both lists. A list that is undefined allows all. */
export function intersect(first: string[] | undefined, second: string[] | undefined): string[] | undefined {
  if (!first || !second) return first ?? second
  return first.filter((id) => second.includes(id))
}

type JsonObject = Record<string, unknown>

const toObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : undefined

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value that is not a text is the id of nobody. */
function toSubjects(request: JsonObject | undefined): string[] | undefined {
  const { value, values } = request ?? {}
  const one = value === undefined ? undefined : [value].filter(isText)
  const several = values === undefined ? undefined : [values].flat().filter(isText)
  return intersect(one, several)
}

const isText = (value: unknown): value is string => typeof value === 'string'
