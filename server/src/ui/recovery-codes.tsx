import { t } from '../languages/translate.ts'
import { FormScript } from './form.tsx'

/** Recovery codes, which are shown only once. Without a script the buttons to copy and print are hidden. */
export const RecoveryCodes = ({ codes }: { codes: string[] }) => {
  const text = `${codes.join('\n')}\n`
  return (
    <>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" class="second" hidden data-copy={text} data-copied={t('Copied')}>
          {t('Copy')}
        </button>
        <a
          class="button second"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="recovery-codes.txt"
        >
          {t('Download')}
        </a>
        <button type="button" class="second" hidden data-print>
          {t('Print')}
        </button>
      </p>
      <FormScript />
    </>
  )
}
