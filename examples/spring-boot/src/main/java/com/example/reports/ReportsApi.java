package com.example.reports;

import java.util.List;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An API with three routes: one for every user, one for owners and admins, and one that needs a license. */
@SpringBootApplication
@RestController
public class ReportsApi {

  public static void main(String[] args) {
    SpringApplication.run(ReportsApi.class, args);
  }

  @GetMapping("/me")
  Map<String, Object> readMe(JwtAuthenticationToken caller) {
    return Map.of(
        "user", caller.getToken().getSubject(),
        "authorities", caller.getAuthorities().stream().map(GrantedAuthority::getAuthority).sorted().toList());
  }

  @GetMapping("/settings")
  @PreAuthorize("hasAnyRole('owner', 'admin')")
  Map<String, String> readSettings(JwtAuthenticationToken caller) {
    return Map.of("settings", "The settings of " + tenantOf(caller));
  }

  @GetMapping("/reports")
  @PreAuthorize("@licenses.hasFeature(authentication, 'reports')")
  Map<String, List<String>> listReports(JwtAuthenticationToken caller) {
    return Map.of("reports", List.of("A report for " + tenantOf(caller)));
  }

  private static String tenantOf(JwtAuthenticationToken caller) {
    return caller.getToken().getClaimAsString("tenant_slug");
  }
}
