import { t } from './translate.ts'

/** Texts of fields with several values. */
export const lists = {
  perLine: t('One per line.'),
  line: (number: number, message: string) => t('Line {number} {message}', { number, message }),
  entry: (entry: string, message: string) => t('“{entry}” {message}', { entry, message }),
}
