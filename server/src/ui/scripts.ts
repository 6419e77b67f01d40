import { loadAsset } from './asset.ts'

/** What every form has: visible passwords, a pending state, and buttons to copy and print. */
export const formScript = loadAsset('form', 'js')
export const passkeyScript = loadAsset('passkey', 'js')
/** Carries the address that was typed to the next page. */
export const typedAddressScript = loadAsset('typed-address', 'js')
/** Continues when a mailed link was followed, and counts down until the next mail. */
export const waitingScript = loadAsset('waiting', 'js')

/** Posts the response to an authorization request. */
export const submitScript = loadAsset('submit', 'js')

export const scripts = [formScript, passkeyScript, typedAddressScript, waitingScript, submitScript]
