/** Why a part of the console could not be loaded. */
export type ChunkProblem = 'offline' | 'interrupted' | 'outdated'

/** A chunk could not be loaded, by the messages of the browsers. */
export const isChunkError = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

/** Asks the service for the console: a newer release has another entry script. */
export async function findChunkProblem(): Promise<ChunkProblem> {
  try {
    const response = await fetch('/console/', { cache: 'no-store' })
    if (!response.ok) return 'offline'
    const html = await response.text()
    const entry = document.querySelector('script[type=module]')?.getAttribute('src')
    return entry && html.includes(entry) ? 'interrupted' : 'outdated'
  } catch {
    return 'offline'
  }
}
