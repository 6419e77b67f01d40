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
  saveFile(name ?? 'latchkey', await response.blob())
}

/** Hands a file to the browser, which keeps it where it keeps downloads. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Some browsers begin to read it only after the click; by then all have taken it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
