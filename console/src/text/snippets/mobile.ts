import { t } from '../translate.ts'
import { doubleQuote, isInsecure, type Snippet, type SnippetValues } from './values.ts'

const HTTPS_ONLY = t(
  'A phone does not reach localhost, and the library needs https: use an issuer with an https address.',
)
const nextStep = (issuer: string, text: string) => (isInsecure(issuer) ? `${text} ${HTTPS_ONLY}` : text)
const schemeOf = (redirectUri: string) => redirectUri.split(':')[0] ?? ''

export function appAuthAndroid({ issuer, clientId, redirectUri }: SnippetValues): Snippet {
  // "$" starts a template in a Kotlin string.
  const inKotlin = (text: string) => doubleQuote(text).replaceAll('$', '\\$')
  const gradle = `android {
    defaultConfig {
        manifestPlaceholders["appAuthRedirectScheme"] = ${inKotlin(schemeOf(redirectUri))}
    }
}

dependencies {
    implementation("net.openid:appauth:0.11.1")
}
`
  const activity = `import android.net.Uri
import android.os.Bundle
import android.util.Log
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts.StartActivityForResult
import net.openid.appauth.AuthorizationException
import net.openid.appauth.AuthorizationRequest
import net.openid.appauth.AuthorizationResponse
import net.openid.appauth.AuthorizationService
import net.openid.appauth.AuthorizationServiceConfiguration
import net.openid.appauth.ResponseTypeValues

class SignInActivity : ComponentActivity() {
    private lateinit var service: AuthorizationService

    private val signIn = registerForActivityResult(StartActivityForResult()) { result ->
        val response = result.data?.let(AuthorizationResponse::fromIntent)
        if (response == null) {
            Log.w("SignIn", "failed", result.data?.let(AuthorizationException::fromIntent))
        } else {
            service.performTokenRequest(response.createTokenExchangeRequest()) { tokens, error ->
                // Keep the tokens in an AuthState. AppAuth has checked the nonce of the ID token.
                Log.i("SignIn", tokens?.idToken ?: error.toString())
            }
        }
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        service = AuthorizationService(this)
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${inKotlin(issuer)})) { configuration, error ->
            if (configuration == null) {
                Log.w("SignIn", "no configuration", error)
            } else {
                val request = AuthorizationRequest.Builder(
                    configuration,
                    ${inKotlin(clientId)},
                    ResponseTypeValues.CODE,
                    Uri.parse(${inKotlin(redirectUri)}),
                ).setScopes("openid", "profile", "email", "offline_access").build()
                signIn.launch(service.getAuthorizationRequestIntent(request))
            }
        }
    }

    override fun onDestroy() {
        service.dispose()
        super.onDestroy()
    }
}
`
  return {
    files: [
      { name: 'app/build.gradle.kts', code: gradle },
      { name: 'SignInActivity.kt', code: activity },
    ],
    next: nextStep(issuer, t('Run the app and sign in in the browser that opens.')),
  }
}

export function appAuthIos({ issuer, clientId, redirectUri }: SnippetValues): Snippet {
  const code = `import AppAuth
import UIKit

final class SignInController: UIViewController {
    private var flow: OIDExternalUserAgentSession?
    private var state: OIDAuthState?

    func signIn() {
        let issuer = URL(string: ${doubleQuote(issuer)})!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            guard let configuration else {
                print(error?.localizedDescription ?? "no configuration")
                return
            }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: ${doubleQuote(clientId)},
                scopes: [OIDScopeOpenID, OIDScopeProfile, OIDScopeEmail, "offline_access"],
                redirectURL: URL(string: ${doubleQuote(redirectUri)})!,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            self.flow = OIDAuthState.authState(byPresenting: request, presenting: self) { state, error in
                // Keep the state in the keychain. AppAuth has checked the nonce of the ID token.
                self.state = state
                print(state?.lastTokenResponse?.idToken ?? error?.localizedDescription ?? "")
            }
        }
    }
}
`
  return {
    files: [{ name: 'SignInController.swift', code }],
    next: nextStep(
      issuer,
      t('Add the package AppAuth-iOS and the URL scheme {scheme} to the project. Then run the app and sign in.', {
        scheme: schemeOf(redirectUri),
      }),
    ),
  }
}
