// A user logs in by a code: with the client that openapi-generator makes for Java (library native).

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.VerifyApi;
import org.openapitools.client.model.ChannelInput;
import org.openapitools.client.model.CheckRequest;
import org.openapitools.client.model.SendRequest;

public class LogIn {
  public static void main(String[] arguments) throws Exception {
    String to = arguments[0];
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("RAMZ_BASE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("RAMZ_API_KEY")));
    VerifyApi verify = new VerifyApi(client);
    var sent = verify.send(new SendRequest().to(to).channel(ChannelInput.SMS).purpose("login"), null);
    var result = verify.check(new CheckRequest().id(sent.getId()).code(codeOn(to)), null);
    var session = verify.getSession(sent.getId());
    if (!result.getValid() || !session.getStatus().equals("verified")) throw new Exception(session.toString());
    if (session.getVerifiedAt().isBefore(session.getCreatedAt())) throw new Exception("verified too early");
    try {
      verify.getSession("vrf_none");
      throw new Exception("no such session was found");
    } catch (ApiException error) {
      if (error.getCode() != 404 || !error.getResponseBody().contains("session_not_found")) throw error;
    }
    System.out.println(session.getStatus() + " " + session.getMessages().get(0).getChannel());
  }

  private static String codeOn(String to) throws Exception {
    String query = URLEncoder.encode(to, StandardCharsets.UTF_8);
    URI address = URI.create(System.getenv("RAMZ_SANDBOX_URL") + "/sandbox/messages?to=" + query);
    for (int tries = 0; tries < 600; tries++) {
      String messages =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
              .body();
      var text = Pattern.compile("\"text\":\"[^\"]*?\\b(\\d{6})\\b").matcher(messages);
      if (text.find()) return text.group(1);
      Thread.sleep(50);
    }
    throw new Exception("no code came");
  }
}
