export type Environment = Record<string, string | undefined>

export type Reader = ReturnType<typeof createReader>

/** Reads variables and collects their problems. */
export function createReader(env: Environment) {
  const problems: string[] = []
  // An empty variable counts as not set, as in compose files and shells.
  const text = (name: string) => env[name]?.trim() || undefined
  return {
    problems,
    text,
    integer(name: string, { fallback, min, max }: { fallback: number; min: number; max: number }) {
      const value = text(name)
      if (value === undefined) return fallback
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= min && number <= max) return number
      problems.push(`${name} is "${value}": it must be a whole number from ${min} to ${max}.`)
      return fallback
    },
    /** Not parsed as a URL, because a PostgreSQL address with a Unix socket is not a valid URL. */
    address(name: string, schemes: string[]) {
      const value = text(name)
      if (value === undefined || schemes.some((scheme) => value.startsWith(scheme))) return value
      // The value may contain a password, so it is not printed.
      problems.push(`${name} must be an address that starts with ${schemes.join(' or ')}.`)
      return undefined
    },
    oneOf<V extends string>(name: string, values: readonly V[]): V | undefined {
      const value = text(name)
      const known = values.find((candidate) => candidate === value)
      if (value === undefined || known !== undefined) return known
      problems.push(`${name} is "${value}": it must be one of ${values.join(', ')}.`)
      return undefined
    },
  }
}
