import { formatSecondsFromNow } from '../languages/dates.ts'
import { t } from '../languages/translate.ts'
import { rich } from './rich-text.ts'

/**
 * A button that asks for another mail. The script disables it for the given seconds. Without the script, the hint says
 * when it works again.
 */
export const ResendButton = ({ seconds }: { seconds: number }) => (
  <p class="resend">
    <button type="submit" class="second" data-seconds={seconds}>
      {t('Send the mail again')}
    </button>
    <span class="hint" data-hint hidden={seconds === 0}>
      {rich('Nothing there? Look among the spam, too. You can ask for another mail {time}.', {
        time: <span data-left>{formatSecondsFromNow(seconds)}</span>,
      })}
    </span>
  </p>
)

/** For a person who asks for another mail before its time. */
export const tooEarly = (seconds: number): string =>
  t('You can ask for another mail {time}.', { time: formatSecondsFromNow(seconds) })
