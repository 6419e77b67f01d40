import type { LogoType, Theme } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { contrast, isColor, MIN_CONTRAST, toReadableAccent } from '../lib/contrast.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { containsWebAddress, isPlainLine, isVisible, NO_WEB_ADDRESS } from '../lib/text.ts'
import { CARD_BACKGROUNDS } from '../ui/brand-sheet.ts'
import { readImage } from './images.ts'

export const MAX_NAME_LENGTH = 60
export const MAX_LOGO_BYTES = 64 * 1024
export const MAX_LOGO_SIDE_PX = 1024

/** The requested name and color, not validated yet. */
export interface BrandSettingsInput {
  displayName?: string | null | undefined
  color?: string | null | undefined
  theme?: Theme | null | undefined
}

export interface BrandSettings {
  displayName: string | null
  color: string | null
  theme: Theme | null
}

export const NO_BRAND_SETTINGS: BrandSettings = { displayName: null, color: null, theme: null }

export interface Logo {
  bytes: Buffer
  type: LogoType
  width: number
  height: number
}

/** The name and the color in the form in which they are stored. Throws one error that lists every invalid field. */
export function parseBrandSettings(input: BrandSettingsInput): BrandSettings {
  const displayName = input.displayName?.trim() ?? null
  const color = input.color?.toLowerCase() ?? null
  const isValidName = displayName === null || (isVisible(displayName) && [...displayName].length <= MAX_NAME_LENGTH)
  throwIfInvalid([
    checkField(
      isValidName,
      'displayName',
      t('must have 1 to {max} characters, at least one of them visible', { max: MAX_NAME_LENGTH }),
    ),
    checkField(isPlainLine(displayName ?? ''), 'displayName', t('must be one line without control characters')),
    checkField(!containsWebAddress(displayName ?? ''), 'displayName', t(NO_WEB_ADDRESS)),
    checkField(color === null || isColor(color), 'color', t('must be a color such as #3b5bdb')),
  ])
  return { displayName, color, theme: input.theme ?? null }
}

/**
 * Refuses a color that the pages could not show as it is in light mode. In dark mode they show a lighter version where
 * needed, because no color is readable on white and on black.
 */
export function requireReadableColor(color: string): void {
  const background = CARD_BACKGROUNDS.light
  const measured = contrast(color, background)
  if (measured >= MIN_CONTRAST) return
  const { color: nearest } = toReadableAccent(background, color)
  // Rounded down, so that a ratio below the minimum is never shown as the minimum.
  const ratio = Math.floor(measured * 100) / 100
  const message = t(
    'has a contrast of {ratio} : 1 with the pages ({background}); it needs {needed} : 1, as {nearest} has',
    { ratio, background, needed: MIN_CONTRAST, nearest },
  )
  throw new AppError('VALIDATION_FAILED', { details: [{ field: 'color', message }] })
}

const DATA_URL = /^data:image\/[a-z0-9.+-]{1,40};base64,/i

/** The image in a data: URL. Its type is determined from its bytes; the media type of the URL is ignored. */
export function parseLogo(dataUrl: string): Logo {
  const [prefix = ''] = DATA_URL.exec(dataUrl) ?? []
  const text = dataUrl.slice(prefix.length)
  const bytes = Buffer.from(text, 'base64')
  if (prefix === '' || bytes.toString('base64') !== text) {
    throw invalidLogo(t('must be a data: URL of an image in base64'))
  }
  if (bytes.length > MAX_LOGO_BYTES)
    throw invalidLogo(t('must not have more than {max} KiB', { max: MAX_LOGO_BYTES / 1024 }))
  const image = readImage(bytes)
  if (!image) throw invalidLogo(t('must be a complete PNG, JPEG or WebP image'))
  if (Math.max(image.width, image.height) > MAX_LOGO_SIDE_PX) {
    throw invalidLogo(t('must be at most {max} pixels wide and {max} pixels high', { max: MAX_LOGO_SIDE_PX }))
  }
  return { bytes, ...image }
}

const invalidLogo = (message: string) => new AppError('VALIDATION_FAILED', { details: [{ field: 'logo', message }] })
