#include "net/handshake.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

const Instant kStart{1h};
const Address kFrom = samples::address(9, 40'000);

// Secrets that a test can name: the n-th is sixteen times the byte n.
class NumberedEntropy final : public Entropy {
 public:
  void fill(MutableBytes out) override {
    std::ranges::fill(out, std::byte{drawn_});
    ++drawn_;
  }

  [[nodiscard]] std::uint8_t drawn() const { return drawn_; }

 private:
  std::uint8_t drawn_ = 0;
};

struct Jar {
  NumberedEntropy entropy;
  CookieJar jar{entropy, kStart};

  CookieBytes bake(Duration at) { return jar.bake(kFrom, samples::nonce(1), kStart + at); }

  bool accepts(const CookieBytes& cookie, Duration at) {
    return jar.accepts(cookie, kFrom, samples::nonce(1), kStart + at);
  }

  /// Number of the secret that made a cookie, by trying them all.
  int secret_of(const CookieBytes& cookie) {
    std::vector<std::byte> input = samples::copy_of(ConstBytes{cookie}.first(4));
    const auto append = [&input](ConstBytes bytes) {
      input.insert(input.end(), bytes.begin(), bytes.end());
    };
    append(as_bytes_of(kFrom.ip));
    std::array<std::byte, 2> port{};
    store_le(MutableBytes{port}, kFrom.port);
    append(port);
    append(samples::nonce(1));
    for (std::uint8_t n = 0; n < entropy.drawn(); ++n) {
      ShortKey key{};
      key.fill(std::byte{n});
      if (short_hash(key, input) == load_le<std::uint64_t>(ConstBytes{cookie}.subspan(4))) return n;
    }
    return -1;
  }
};

// Seconds are counted whole, so a cookie that is made at the end of a second lives hardly longer
// than 4 s, and one that is made at its beginning hardly shorter than 5 s.
TEST(Cookie, LivesFourSecondsAndNotFive) {
  for (const Duration made : {Duration{0ms}, Duration{999ms}, Duration{3'500ms}, Duration{7s},
                              Duration{7'999ms}, Duration{8s}, Duration{15'999ms}, Duration{1h}}) {
    Jar jar;
    const CookieBytes cookie = jar.bake(made);
    const Duration second = std::chrono::floor<std::chrono::seconds>(made);
    for (const Duration later : {Duration{0s}, Duration{1s}, Duration{4s} - 1ns, Duration{4s}})
      EXPECT_TRUE(jar.accepts(cookie, made + later)) << made.count() << " + " << later.count();
    EXPECT_TRUE(jar.accepts(cookie, second + 5s - 1ns)) << made.count();
    for (const Duration later : {Duration{5s}, Duration{6s}, Duration{8s}, Duration{16s}})
      EXPECT_FALSE(jar.accepts(cookie, second + later)) << made.count() << " + " << later.count();
  }
}

TEST(Cookie, OfALaterSecondIsRefused) {
  Jar jar;
  const CookieBytes cookie = jar.bake(3s);
  EXPECT_FALSE(jar.accepts(cookie, 2'999ms));
  EXPECT_TRUE(jar.accepts(cookie, 3s));
}

TEST(Cookie, IsGoodForItsAddressAlone) {
  Jar jar;
  const CookieBytes cookie = jar.bake(1s);
  for (std::size_t bit = 0; bit < 8 * kFrom.ip.size(); ++bit) {
    Address other = kFrom;
    other.ip[bit / 8] = static_cast<std::uint8_t>(other.ip[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_FALSE(jar.jar.accepts(cookie, other, samples::nonce(1), kStart + 1s)) << bit;
  }
  for (int bit = 0; bit < 16; ++bit) {
    Address other = kFrom;
    other.port = static_cast<std::uint16_t>(other.port ^ (1U << bit));
    EXPECT_FALSE(jar.jar.accepts(cookie, other, samples::nonce(1), kStart + 1s)) << bit;
  }
}

TEST(Cookie, IsGoodForItsNonceAlone) {
  Jar jar;
  const CookieBytes cookie = jar.bake(1s);
  samples::with_each_bit_flipped(
      samples::nonce(1), [&](const HandshakeNonce& other, std::size_t bit) {
        EXPECT_FALSE(jar.jar.accepts(cookie, kFrom, other, kStart + 1s)) << bit;
      });
}

TEST(Cookie, IsRefusedWithABitFlipped) {
  Jar jar;
  const CookieBytes cookie = jar.bake(5s);
  samples::with_each_bit_flipped(cookie, [&](const CookieBytes& altered, std::size_t bit) {
    EXPECT_FALSE(jar.accepts(altered, 5s)) << bit;
  });
  EXPECT_TRUE(jar.accepts(cookie, 5s));
}

TEST(Cookie, OfAnotherServerIsRefused) {
  tests::SeededEntropy entropy{1};
  tests::SeededEntropy other_entropy{2};
  CookieJar jar{entropy, kStart};
  CookieJar other{other_entropy, kStart};
  EXPECT_FALSE(
      other.accepts(jar.bake(kFrom, samples::nonce(1), kStart), kFrom, samples::nonce(1), kStart));
}

TEST(Cookie, SecretsChangeEveryEightSeconds) {
  Jar jar;
  std::set<int> secrets;
  for (int period = 0; period < 20; ++period) {
    const Duration begin = std::chrono::seconds{8 * period};
    const int secret = jar.secret_of(jar.bake(begin));
    EXPECT_TRUE(secrets.insert(secret).second) << "period " << period;
    for (const Duration later : {Duration{1s}, Duration{7s}, Duration{8s} - 1ns})
      EXPECT_EQ(jar.secret_of(jar.bake(begin + later)), secret) << "period " << period;
  }
  EXPECT_FALSE(secrets.contains(-1));
  EXPECT_EQ(jar.entropy.drawn(), 1 + 2 + 19) << "the first second, and secrets";
}

// A server that nobody asked for a while must not go on with secrets of long ago.
TEST(Cookie, NoSecretOutlivesAGap) {
  for (const int gap : {2, 3, 4, 5, 1'000, 1'001}) {
    Jar jar;
    std::set<int> old{jar.secret_of(jar.bake(0s)), jar.secret_of(jar.bake(8s))};
    const int drawn = jar.entropy.drawn();
    const Duration later = std::chrono::seconds{8 * (1 + gap)};
    EXPECT_GE(jar.secret_of(jar.bake(later)), drawn) << gap;
    EXPECT_EQ(jar.entropy.drawn(), drawn + 2) << gap;
    EXPECT_TRUE(old.insert(jar.secret_of(jar.bake(later + 8s))).second) << gap;
  }
}

// Before the fix, a cookie held the second since the server's start.
TEST(Cookie, TellsNobodyHowLongTheServerHasRun) {
  std::set<std::uint32_t> seconds;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    tests::SeededEntropy entropy{seed};
    CookieJar jar{entropy, kStart};
    seconds.insert(load_le<std::uint32_t>(jar.bake(kFrom, samples::nonce(1), kStart + 5s)) >> 16U);
  }
  EXPECT_GE(seconds.size(), 9U);
}

TEST(Cookie, MadeJustBeforeASecretChangesIsStillGood) {
  Jar jar;
  const CookieBytes cookie = jar.bake(15'900ms);
  (void)jar.bake(16s);
  EXPECT_TRUE(jar.accepts(cookie, 19s));
}

}  // namespace
}  // namespace tickbox::net
