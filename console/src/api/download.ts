import { LatchkeyError } from '@latchkey/client/error'
import { getAccessToken } from '../session/session.ts'

/** Downloads a file as the signed-in user. */
export async function download(path: string, query: Record<string, string>): Promise<void> {
  const parameters = Object.entries(query).filter(([, value]) => value !== '')
  const response = await fetch(`${path}?${new URLSearchParams(parameters)}`, {
    headers: { authorization: `Bearer ${await getAccessToken()}` },
    credentials: 'omit',
  })
  if (!response.ok) throw LatchkeyError.from(response, await response.json().catch(() => undefined))
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  saveFile(name ?? 'latchkey', await response.blob())
}

/** Saves a file through the browser's download. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers read the blob only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
