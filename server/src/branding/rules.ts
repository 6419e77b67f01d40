import type { LogoType } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { isColor } from '../lib/contrast.ts'
import { readImage } from '../lib/images.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import { holdsWebAddress, isPlainLine, isVisible, NO_WEB_ADDRESS } from '../lib/text.ts'

export const LONGEST_NAME = 60
export const MOST_LOGO_BYTES = 64 * 1024
export const MOST_LOGO_SIDE = 1024

/** What somebody wants pages to look like. */
export interface Wish {
  displayName?: string | null | undefined
  color?: string | null | undefined
}

export interface Look {
  displayName: string | null
  color: string | null
}

export const NO_LOOK: Look = { displayName: null, color: null }

export interface Logo {
  bytes: Buffer
  type: LogoType
  width: number
  height: number
}

/** The name and the colour as they are kept, or one error that names what is wrong with them. */
export function readLook(wish: Wish): Look {
  const displayName = wish.displayName?.trim() ?? null
  const color = wish.color?.toLowerCase() ?? null
  const isName = displayName === null || (isVisible(displayName) && [...displayName].length <= LONGEST_NAME)
  refuseProblems([
    demand(isName, 'displayName', `must have 1 to ${LONGEST_NAME} characters, and one to be seen`),
    demand(isPlainLine(displayName ?? ''), 'displayName', 'must be one line without control characters'),
    demand(!holdsWebAddress(displayName ?? ''), 'displayName', NO_WEB_ADDRESS),
    demand(color === null || isColor(color), 'color', 'must be a colour such as #3b5bdb'),
  ])
  return { displayName, color }
}

const DATA_URL = /^data:image\/[a-z0-9.+-]{1,40};base64,/i

/** The picture in a data: address. What it is, it must be by its own bytes: what it is called is no reason. */
export function readLogo(address: string): Logo {
  const [prefix = ''] = DATA_URL.exec(address) ?? []
  const text = address.slice(prefix.length)
  const bytes = Buffer.from(text, 'base64')
  if (prefix === '' || bytes.toString('base64') !== text) {
    throw unfit('must be a data: address of a picture in base64')
  }
  if (bytes.length > MOST_LOGO_BYTES) throw unfit(`must not have more than ${MOST_LOGO_BYTES / 1024} KiB`)
  const image = readImage(bytes)
  if (!image) throw unfit('must be a whole PNG, JPEG or WebP picture')
  if (Math.max(image.width, image.height) > MOST_LOGO_SIDE) {
    throw unfit(`must not have more than ${MOST_LOGO_SIDE} × ${MOST_LOGO_SIDE} pixels`)
  }
  return { bytes, ...image }
}

const unfit = (message: string) =>
  new AppError('VALIDATION_FAILED', { details: [{ field: 'logo', message }] })
