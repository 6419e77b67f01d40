/**
 * A button that asks for another mail. The script disables it for the given seconds. Without the script, the hint says
 * when it works again.
 */
export const ResendButton = ({ seconds }: { seconds: number }) => (
  <p class="resend">
    <button type="submit" class="second" data-seconds={seconds}>
      Send the mail again
    </button>
    <span class="hint" data-hint hidden={seconds === 0}>
      Nothing there? Look among the spam, too. You can ask for another mail in <span data-left>{seconds}</span> seconds.
    </span>
  </p>
)
