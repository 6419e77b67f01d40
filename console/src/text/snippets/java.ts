import { t } from '../translate.ts'
import { doubleQuote, homeOf, portOf, type Snippet, type SnippetValues, withSecret } from './values.ts'

export function springLogin(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const settings = `server:
  port: ${portOf(redirectUri, '8080')}
spring:
  security:
    oauth2:
      client:
        registration:
          latchkey:
            client-id: ${doubleQuote(clientId)}
            client-secret: "\${LATCHKEY_CLIENT_SECRET}"
            scope: openid,profile,email
        provider:
          latchkey:
            issuer-uri: ${doubleQuote(issuer)}
`
  const controller = `import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class HomeController {
    @GetMapping("/")
    String home(@AuthenticationPrincipal OidcUser user) {
        return "Hello " + user.getEmail();
    }
}
`
  return {
    files: [
      { name: 'src/main/resources/application.yaml', code: settings },
      { name: 'src/main/java/HomeController.java', code: controller },
    ],
    run: withSecret(values, './mvnw spring-boot:run'),
    next: t(
      'The project needs spring-boot-starter-web and spring-boot-starter-oauth2-client. Open {address} and sign in.',
      { address: homeOf(redirectUri) },
    ),
  }
}

export function springResourceServer({ issuer, applicationId }: SnippetValues): Snippet {
  const decoder = `import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

@Configuration
class LatchkeyConfiguration {
    private static final String ISSUER = ${doubleQuote(issuer)};
    /** The id of the application, which is the audience of its access tokens. */
    private static final String AUDIENCE = ${doubleQuote(applicationId)};

    /** Spring expects tokens of the type "JWT". Access tokens of Latchkey have the type "at+jwt" (RFC 9068). */
    @Bean
    JwtDecoder jwtDecoder() {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(ISSUER).validateType(false).build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
                .issuer(ISSUER)
                .audience(AUDIENCE)
                // Every client of the application may call this API.
                .validators(all -> all.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
                .build());
        return decoder;
    }
}
`
  return {
    files: [{ name: 'src/main/java/LatchkeyConfiguration.java', code: decoder }],
    run: './mvnw spring-boot:run',
    next: t(
      'The project needs spring-boot-starter-web and spring-boot-starter-oauth2-resource-server, with Spring Security 6.5 or later. It then answers 401 to requests without a valid access token of this application.',
    ),
  }
}
