/** What hashing a password takes. */
export interface HashSettings {
  /** The memory for one hash. The time grows with it. */
  memoryMib: number
  /** Processes that share the cores of this machine. */
  processes: number
}

/** OWASP's least memory for argon2id with two passes. */
export const LEAST_HASH_MEMORY_MIB = 19

let settings: HashSettings = { memoryMib: LEAST_HASH_MEMORY_MIB, processes: 1 }

export const hashSettings = (): HashSettings => settings

/** Set once at the start, from the configuration. */
export function setHashSettings(chosen: HashSettings): void {
  settings = chosen
}
