// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {HolderAccount} from "../HolderAccount.sol";
import {Settlement} from "../Settlement.sol";
import {Stand} from "./Cheats.sol";

contract HolderAccountTest is Stand {
    uint256 private constant KEY = 21;
    uint96 private constant DOLLAR = 1_000_000;
    address private constant HOME = address(0x40E);
    address private constant RECOVERY = address(0x4EC);

    HolderAccount private account;

    function setUp() public {
        _deploy();
        (uint256 x, uint256 y) = vm.publicKeyP256(KEY);
        account = HolderAccount(settlement.open(bytes32(x), bytes32(y), RECOVERY));
        token.mint(address(account), 10 * DOLLAR);
    }

    function _request(uint96 amount) private {
        account.requestWithdrawal(amount, HOME, _assert(KEY, account.withdrawalHash(amount, HOME), 0x05));
    }

    function test_the_account_knows_its_holder() public view {
        (bytes32 x, bytes32 y, address recovery) = account.terms();
        (uint256 keyX, uint256 keyY) = vm.publicKeyP256(KEY);
        require(uint256(x) == keyX && uint256(y) == keyY && recovery == RECOVERY, "terms");
        require(settlement.accountOf(x, y, recovery) == address(account), "address");
    }

    function test_only_settlement_pulls() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotSettlement.selector));
        account.pull(1);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotSettlement.selector));
        vm.prank(SPONSOR);
        account.pull(1);
    }

    function test_a_withdrawal_leaves_after_nine_days_without_the_sponsor() public {
        _request(4 * DOLLAR);
        vm.warp(START + 9 days - 1);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        vm.warp(START + 9 days);
        account.withdraw();
        _equal(token.balanceOf(HOME), 4 * DOLLAR, "home");
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        account.withdraw();
    }

    function test_the_sponsor_lets_it_leave_at_once_and_only_where_it_was_asked() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        vm.prank(SPONSOR);
        account.withdraw();
        _request(20 * DOLLAR);
        vm.prank(SPONSOR);
        account.withdraw();
        _equal(token.balanceOf(HOME), 10 * DOLLAR, "at most what is there");
    }

    function test_an_assertion_counts_once_and_for_its_terms_only() public {
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, account.withdrawalHash(DOLLAR, HOME), 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, SPONSOR, assertion);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(2 * DOLLAR, HOME, assertion);
        account.requestWithdrawal(DOLLAR, HOME, assertion);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, assertion);
        bytes32 hash = account.withdrawalHash(DOLLAR, HOME);
        WebAuthn.WebAuthnAuth memory unverified = _assert(KEY, hash, 0x01);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, unverified);
        WebAuthn.WebAuthnAuth memory foreign = _assert(KEY + 1, hash, 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.requestWithdrawal(DOLLAR, HOME, foreign);
    }

    function test_a_second_request_begins_the_delay_anew() public {
        _request(DOLLAR);
        vm.warp(START + 8 days);
        _request(2 * DOLLAR);
        vm.warp(START + 9 days);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        vm.warp(START + 17 days);
        account.withdraw();
        _equal(token.balanceOf(HOME), 2 * DOLLAR, "the second amount");
    }

    function test_the_holder_cancels() public {
        _request(DOLLAR);
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, account.cancellationHash(), 0x05);
        account.cancelWithdrawal(assertion);
        vm.warp(START + 10 days);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NothingWaits.selector));
        account.withdraw();
        _request(DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidAssertion.selector));
        account.cancelWithdrawal(assertion);
    }

    function test_the_recovery_address_takes_everything_after_the_delay() public {
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotRecovery.selector));
        account.requestWithdrawal();
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        vm.warp(START + 9 days);
        account.withdraw();
        _equal(token.balanceOf(RECOVERY), 10 * DOLLAR, "recovered");
    }

    function test_recovery_cannot_push_the_holder_aside_and_the_holder_can() public {
        _request(DOLLAR);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.AlreadyWaiting.selector));
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        account.cancelWithdrawal(_assert(KEY, account.cancellationHash(), 0x05));
        vm.prank(RECOVERY);
        account.requestWithdrawal();
        _request(DOLLAR);
        require(account.to() == HOME, "the passkey wins");
    }

    function test_an_account_without_recovery_address_has_none() public {
        (uint256 x, uint256 y) = vm.publicKeyP256(KEY);
        HolderAccount bare = HolderAccount(settlement.open(bytes32(x), bytes32(y), address(0)));
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotRecovery.selector));
        vm.prank(address(0));
        bare.requestWithdrawal();
    }

    function test_money_cannot_be_withdrawn_into_settlement() public {
        bytes32 hash = account.withdrawalHash(DOLLAR, address(settlement));
        WebAuthn.WebAuthnAuth memory assertion = _assert(KEY, hash, 0x05);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.InvalidRecipient.selector));
        account.requestWithdrawal(DOLLAR, address(settlement), assertion);
    }

    /// Section 1, verdict 2: a hold outlives a withdrawal that is asked for at the same moment.
    function test_an_approval_of_eight_days_is_captured_before_a_withdrawal_leaves() public {
        Settlement.Approval memory approval = _approval(KEY, 10 * DOLLAR);
        approval.recovery = RECOVERY;
        Settlement.Capture[] memory captures = _one(_capture(KEY, approval, 0, 10 * DOLLAR));
        _request(10 * DOLLAR);
        vm.warp(approval.validUntil);
        vm.expectRevert(abi.encodeWithSelector(HolderAccount.NotReady.selector));
        account.withdraw();
        _settle("late", captures);
        _equal(token.balanceOf(SHOP), 10 * DOLLAR, "payee");
    }
}
