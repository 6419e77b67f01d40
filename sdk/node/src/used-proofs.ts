/** Half of what is kept, so that at least this many proofs are known. */
const MAX_RECENT = 50_000

/**
 * Remembers the ids of proofs in the memory of this process. Returns a function that tells whether an id is new. Each id
 * is kept for the given time at least, unless many others follow.
 */
export function createProofMemory(): (id: string, seconds: number) => boolean {
  let recent = new Set<string>()
  let older = new Set<string>()
  let replaceAt = 0
  return (id, seconds) => {
    if (recent.has(id) || older.has(id)) return false
    // The time of the system, as for iat: if it is set back, proofs are valid for longer, and are kept for longer.
    const now = Date.now()
    if (now >= replaceAt || recent.size >= MAX_RECENT) {
      older = recent
      recent = new Set()
      replaceAt = now + seconds * 1000
    }
    recent.add(id)
    return true
  }
}
