import { LatchkeyError } from 'latchkey-sdk/error'
import { accessToken } from '../session/session.ts'

/** Fetches a file as whoever is signed in, and gives it to the browser to keep. */
export async function download(path: string, query: Record<string, string>): Promise<void> {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const response = await fetch(`${path}?${new URLSearchParams(given)}`, {
    headers: { authorization: `Bearer ${await accessToken()}` },
    credentials: 'omit',
  })
  if (!response.ok) throw LatchkeyError.from(response, await response.json().catch(() => undefined))
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  keep(await response.blob(), name ?? 'latchkey')
}

function keep(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
