#include "os/process/process.h"
#include "tests/unit/os/notify_socket.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <stdlib.h>

namespace tickbox::os {
namespace {

constexpr Duration kNow{};

/// Sets a variable until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_{name} {
    setenv(name, value.c_str(), 1);
  }

  ~Variable() { unsetenv(name_); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(ServiceManager, TakesLinesAtAPath) {
  const TemporaryFolder folder;
  const NotifySocket socket{folder.file("notify")};
  EXPECT_TRUE(ServiceManager{socket.name()}.notify("READY=1\nSTATUS=well\n"));
  EXPECT_EQ(socket.receive(kNow), "READY=1\nSTATUS=well\n");
}

TEST(ServiceManager, TakesLinesAtAnAbstractName) {
  const NotifySocket socket{"@tickbox-test-" + std::to_string(getpid())};
  EXPECT_TRUE(ServiceManager{socket.name()}.notify("WATCHDOG=1\n"));
  EXPECT_EQ(socket.receive(kNow), "WATCHDOG=1\n");
}

TEST(ServiceManager, ThatIsNotThereTakesNothing) {
  const ServiceManager none = ServiceManager::from_environment();
  EXPECT_FALSE(none.exists());
  EXPECT_FALSE(none.watchdog());
  EXPECT_TRUE(none.notify("READY=1\n"));
}

TEST(ServiceManager, ThatCannotBeReachedIsNamed) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  const auto sent = ServiceManager{missing}.notify("READY=1\n");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error(), "NOTIFY_SOCKET " + missing + ": no such file or directory");
  for (const std::string& socket : {std::string{"vsock:2:1234"}, "/" + std::string(200, 'a')}) {
    const auto wrong = ServiceManager{socket}.notify("READY=1\n");
    ASSERT_FALSE(wrong) << socket;
    EXPECT_TRUE(wrong.error().contains("neither a path nor @ and a name")) << wrong.error();
  }
}

TEST(ServiceManager, ThatTakesNothingHoldsNobody) {
  const TemporaryFolder folder;
  const NotifySocket socket{folder.file("notify")};
  const ServiceManager manager{socket.name()};
  int sent = 0;
  while (manager.notify("WATCHDOG=1\n")) {
    ASSERT_LT(++sent, 100'000) << "the queue of a socket has a limit";
  }
  EXPECT_EQ(socket.receive(kNow), "WATCHDOG=1\n");
  EXPECT_TRUE(manager.notify("WATCHDOG=1\n"));
}

TEST(ServiceManager, ItsWatchdogIsThatOfThisProcess) {
  const Variable socket{"NOTIFY_SOCKET", "/run/notify"};
  const Variable time{"WATCHDOG_USEC", "10000000"};
  EXPECT_EQ(ServiceManager::from_environment().watchdog(), std::chrono::seconds{10});
  {
    const Variable process{"WATCHDOG_PID", std::to_string(getpid())};
    EXPECT_TRUE(ServiceManager::from_environment().watchdog());
  }
  const Variable process{"WATCHDOG_PID", "1"};
  EXPECT_FALSE(ServiceManager::from_environment().watchdog()) << "it watches another process";
}

TEST(ServiceManager, ATimeThatIsNoneStartsNoWatchdog) {
  for (const char* const wrong : {"0", "-1", "10s", "", "9223372036854775807"}) {
    const Variable time{"WATCHDOG_USEC", wrong};
    EXPECT_FALSE(ServiceManager::from_environment().watchdog()) << wrong;
  }
}

}  // namespace
}  // namespace tickbox::os
